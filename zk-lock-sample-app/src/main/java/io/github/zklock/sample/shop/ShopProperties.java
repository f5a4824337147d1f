package io.github.zklock.sample.shop;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How the shop works.
 *
 * @param paymentTime how long a sale takes between reading the stock and writing it
 * @param reportTime how long a report takes
 * @param rackTime how long one of 300 racks takes when stock is taken
 * @param fenced whether the database refuses what a former holder of the lock writes
 * @param openingEvent the event that is on sale when a shop with an empty database starts
 * @param openingCapacity how many tickets that event has
 */
@ConfigurationProperties("shop")
record ShopProperties(@DefaultValue("5ms") Duration paymentTime, @DefaultValue("200ms") Duration reportTime,
		@DefaultValue("100ms") Duration rackTime, @DefaultValue("true") boolean fenced,
		@DefaultValue("concert") String openingEvent, @DefaultValue("100") int openingCapacity) {
}
