package io.github.zklock.internal.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.github.zklock.Handoff;
import io.github.zklock.LockListener;
import io.github.zklock.internal.concurrent.CallbackExecutor;
import io.github.zklock.internal.concurrent.Timer;

/**
 * What a client is to be like, wherever its locks are.
 */
public abstract class CommonSettings {

	private final List<LockListener> listeners = new ArrayList<>();

	private String defaultStrategy = "sequential";

	private Duration timeout = Duration.ofSeconds(10);

	private Duration slowWait = Duration.ZERO;

	private Duration slowWaitInterval = Duration.ofMinutes(1);

	private @Nullable Executor callbacks;

	private int maxCallbackThreads = CallbackExecutor.DEFAULT_THREADS;

	private int maxWaitingEvents = 100_000;

	private int maxKeysPerRequest = 1000;

	private int maxRetained = 1000;

	/**
	 * Returns how long the cohort of a key may keep a grant for itself.
	 * @return gives the bounds of a key
	 */
	protected abstract Function<String, Handoff> handoffs();

	/**
	 * Makes what runs the user's code.
	 * @param timer tries again when no thread can be made
	 * @return the executor
	 */
	protected Executor callbacks(Timer timer) {
		return new CallbackExecutor(this.callbacks, this.maxCallbackThreads, timer);
	}

	public void callbacks(Executor executor) {
		this.callbacks = executor;
	}

	public void maxCallbackThreads(int threads) {
		this.maxCallbackThreads = RequestRules.positive("The number of callback threads", threads);
	}

	protected String defaultStrategy() {
		return this.defaultStrategy;
	}

	public void defaultStrategy(String name) {
		this.defaultStrategy = name;
	}

	protected Duration timeout() {
		return this.timeout;
	}

	public void timeout(Duration time) {
		this.timeout = RequestRules.notNegative("The default time-out", time);
	}

	SlowWaitWarnings slowWaits(Executor executor, ClientSite site) {
		return new SlowWaitWarnings(this.slowWait, this.slowWaitInterval, executor, site.clock());
	}

	public void slowWait(Duration wait) {
		this.slowWait = RequestRules.checkSlowWait("The time after which a wait is slow", wait);
	}

	public void slowWaitInterval(Duration interval) {
		this.slowWaitInterval = RequestRules.checkSlowWait("The time between two warnings of slow waits", interval);
	}

	ListenerDispatcher dispatcher(Executor executor, ClientSite site) {
		return new ListenerDispatcher(this.listeners, executor, site.clock(), site.failures(), this.maxWaitingEvents);
	}

	public void listener(LockListener listener) {
		this.listeners.add(listener);
	}

	public void maxWaitingEvents(int events) {
		this.maxWaitingEvents = RequestRules.positive("The number of waiting events", events);
	}

	protected int maxKeysPerRequest() {
		return this.maxKeysPerRequest;
	}

	public void maxKeysPerRequest(int keys) {
		this.maxKeysPerRequest = RequestRules.positive("The number of keys", keys);
	}

	int maxRetained() {
		return this.maxRetained;
	}

	public void maxRetained(int locks) {
		this.maxRetained = RequestRules.positive("The number of retained locks (zero time retains none)", locks);
	}

}
