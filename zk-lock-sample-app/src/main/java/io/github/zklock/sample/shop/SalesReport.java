package io.github.zklock.sample.shop;

import java.time.Instant;

/**
 * The sales of an event, and when they were counted.
 *
 * @param eventId which event
 * @param sold how many tickets were sold
 * @param began when the report had its permit
 * @param ended when it gave it back
 */
public record SalesReport(String eventId, int sold, Instant began, Instant ended) {
}
