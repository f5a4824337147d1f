package io.github.zklock.sample.lab;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

import org.springframework.stereotype.Component;

/**
 * What happened lately, in words.
 */
@Component
class Notes {

	private static final int MAX_NOTES = 30;

	private final Deque<Note> notes = new ArrayDeque<>();

	private long number;

	synchronized void add(String text) {
		if (this.notes.size() == MAX_NOTES) {
			this.notes.removeFirst();
		}
		this.notes.addLast(new Note(++this.number, Instant.now(), text));
	}

	synchronized List<Note> latest() {
		return List.copyOf(this.notes);
	}

	/**
	 * One thing that happened.
	 *
	 * @param number grows by one with each
	 * @param at when it happened
	 * @param text what happened
	 */
	record Note(long number, Instant at, String text) {
	}

}
