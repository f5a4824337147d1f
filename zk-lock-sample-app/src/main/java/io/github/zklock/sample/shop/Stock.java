package io.github.zklock.sample.shop;

/**
 * The tickets of an event.
 *
 * @param eventId which event
 * @param capacity how many there were to sell
 * @param remaining how many are left, by the counter that every sale reads and writes
 * @param sold how many were sold, counted one by one
 * @param soldTwice how many of those had been sold before
 */
public record Stock(String eventId, int capacity, int remaining, int sold, int soldTwice) {
}
