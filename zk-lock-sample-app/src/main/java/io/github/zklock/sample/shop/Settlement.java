package io.github.zklock.sample.shop;

import java.util.Map;

/**
 * The sales of an event.
 *
 * @param eventId which event
 * @param sold how many tickets were sold
 * @param remaining how many are left, by the tickets that were sold
 * @param buyers how many each buyer has, by name
 */
public record Settlement(String eventId, int sold, int remaining, Map<String, Integer> buyers) {
}
