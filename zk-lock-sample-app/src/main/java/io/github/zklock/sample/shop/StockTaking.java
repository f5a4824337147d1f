package io.github.zklock.sample.shop;

/**
 * How far the racks of an event were counted.
 *
 * @param eventId which event
 * @param racks how many were counted
 * @param endedBecause why no more were
 */
public record StockTaking(String eventId, int racks, String endedBecause) {
}
