package io.github.zklock.actuate.endpoint;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

import io.github.zklock.LockMode;
import io.github.zklock.inspect.ContenderOrigin;
import io.github.zklock.inspect.JobRun;
import io.github.zklock.inspect.LockInspector;
import io.github.zklock.inspect.LockQueue;

/**
 * Shows who holds which key and who waits for it, as ZooKeeper sees it.
 *
 * @since 0.1.0
 */
@Endpoint(id = "zklocks")
public class ZkLocksEndpoint {

	private static final int DEFAULT_SIZE = 50;

	private static final int MAX_SIZE = 1000;

	private final LockInspector inspector;

	/**
	 * Creates an endpoint.
	 * @param inspector looks at the locks
	 */
	public ZkLocksEndpoint(LockInspector inspector) {
		this.inspector = inspector;
	}

	/**
	 * Shows some of the keys, or the one that is given, also if it is free.
	 * @param page which page, from 0; the first unless given
	 * @param size how many keys at most, up to 1,000; 50 unless given
	 * @param waits true for those who wait for each other, on all keys; false unless
	 * given
	 * @param jobs true for the last runs of jobs; false unless given
	 * @param key a key, whatever it has in it; all unless given
	 * @return the keys
	 */
	@ReadOperation
	@SuppressWarnings("deprecation") // Boot 3 knows no other @Nullable
	public Locks locks(@org.springframework.lang.Nullable Integer page, @org.springframework.lang.Nullable Integer size,
			@org.springframework.lang.Nullable Boolean waits, @org.springframework.lang.Nullable Boolean jobs,
			@org.springframework.lang.Nullable String key) {
		LockInspector.Waits graph = Boolean.TRUE.equals(waits) ? this.inspector.waits() : null;
		List<Job> runs = Boolean.TRUE.equals(jobs) ? this.inspector.jobs().stream().map(Job::of).toList() : null;
		if (key != null) {
			return new Locks(0, 1, 1, List.of(key(this.inspector.line(requireText(key)))), graph, runs);
		}
		int wanted = (size != null) ? Math.max(1, Math.min(size, MAX_SIZE)) : DEFAULT_SIZE;
		LockInspector.Page found = this.inspector.keys((page != null) ? Math.max(0, page) : 0, wanted);
		return new Locks(found.page(), found.size(), found.total(), keys(found.lines()), graph, runs);
	}

	/**
	 * Shows one key.
	 * @param key the key; what is between slashes may be given one by one
	 * @return the key
	 * @throws InvalidEndpointRequestException if the path says another key
	 */
	@ReadOperation
	public Key lock(@Selector(match = Selector.Match.ALL_REMAINING) String... key) {
		String read = String.join("/", key);
		WrittenPath.requireSays(read);
		return key(this.inspector.line(read));
	}

	Key key(LockQueue queue) {
		return keys(List.of(queue)).get(0);
	}

	private List<Key> keys(List<LockQueue> queues) {
		Instant now = Instant.now();
		Map<String, List<LockInspector.LocalWaiter>> waiters = this.inspector.localWaiters()
			.stream()
			.collect(Collectors.groupingBy(LockInspector.LocalWaiter::key));
		return queues.stream()
			.map((queue) -> Key.of(queue, waiters.getOrDefault(queue.key(), List.of()), now))
			.toList();
	}

	static String requireText(String key) {
		if (key.isEmpty()) {
			throw new InvalidEndpointRequestException("The query parameter 'key' is empty",
					"The query parameter 'key' must not be empty");
		}
		return key;
	}

	LockInspector inspector() {
		return this.inspector;
	}

	/**
	 * Some of the keys.
	 *
	 * @param page which page, from 0
	 * @param size how many keys it has at most
	 * @param total how many keys are held or wanted, on all pages
	 * @param keys the keys that are held or wanted, or the one that was asked for
	 * @param waits who waits for whom; null unless asked for
	 * @param jobs the last runs of jobs that run once for each firing, the latest first;
	 * null unless asked for
	 * @since 0.1.0
	 */
	public record Locks(int page, int size, int total, List<Key> keys, LockInspector.@Nullable Waits waits,
			@Nullable List<Job> jobs) implements OperationResponseBody {
	}

	/**
	 * The last run of a job.
	 *
	 * @param key the job's key
	 * @param run how many runs there were
	 * @param started when it was started, by the clock of the servers
	 * @param withinMillis for how long it is not started again
	 * @param tookMillis how long it took; null if its end is not known
	 * @param outcome how it ended: {@code running}, {@code ok}, {@code ended} if nobody
	 * says how, {@code failed:} with the exception's type, or "lost" if its lock was
	 * @param instance the instance that ran it
	 * @param host its host
	 * @param pid its process
	 * @since 0.1.0
	 */
	public record Job(String key, long run, Instant started, long withinMillis, @Nullable Long tookMillis,
			String outcome, @Nullable String instance, @Nullable String host, @Nullable String pid) {

		static Job of(JobRun run) {
			Duration took = run.took();
			return new Job(run.key(), run.number(), run.started(), run.within().toMillis(),
					(took != null) ? took.toMillis() : null, run.outcome(), run.instance(), run.host(), run.pid());
		}

	}

	/**
	 * A key.
	 *
	 * @param key the key
	 * @param holders who holds it
	 * @param queue who waits for it, in their order
	 * @param localWaiters the callers of this process that wait for it, also those who
	 * wait behind one node, or without one; the longest wait first, 1,000 at most
	 * @since 0.1.0
	 */
	public record Key(String key, List<Contender> holders, List<Contender> queue,
			List<LocalWaiter> localWaiters) implements OperationResponseBody {

		static Key of(LockQueue queue, List<LockInspector.LocalWaiter> waiters, Instant now) {
			Map<Boolean, List<Contender>> byHolding = queue.contenders()
				.stream()
				.collect(Collectors.partitioningBy(LockQueue.Contender::holds,
						Collectors.mapping((contender) -> Contender.of(contender, now), Collectors.toList())));
			return new Key(queue.key(), byHolding.getOrDefault(true, List.of()),
					byHolding.getOrDefault(false, List.of()),
					waiters.stream().limit(MAX_SIZE).map(LocalWaiter::of).toList());
		}

	}

	/**
	 * A caller of this process that waits.
	 *
	 * @param thread the thread that asked
	 * @param mode how it wants the key
	 * @param ageMillis for how many milliseconds it has waited
	 * @since 0.1.0
	 */
	public record LocalWaiter(String thread, LockMode mode, long ageMillis) {

		static LocalWaiter of(LockInspector.LocalWaiter waiter) {
			return new LocalWaiter(waiter.caller(), waiter.mode(), waiter.waited().toMillis());
		}

	}

	/**
	 * One who holds or waits. What its node does not say is null.
	 *
	 * @param application its application
	 * @param instance its instance
	 * @param host its host
	 * @param pid its process
	 * @param thread the thread that asked first
	 * @param since when its node was made, by its own clock
	 * @param ageMillis how many milliseconds ago that was, by the clock of this host
	 * @param mode how it holds or wants the key
	 * @param permits how many may hold the key together with it; null if it has or wants
	 * a lock
	 * @param token the first fencing token of its node
	 * @param ours whether it belongs to this application's lock client
	 * @param node its node
	 * @since 0.1.0
	 */
	public record Contender(@Nullable String application, @Nullable String instance, @Nullable String host,
			@Nullable String pid, @Nullable String thread, @Nullable String since, @Nullable Long ageMillis,
			LockMode mode, @Nullable Integer permits, long token, boolean ours, String node) {

		static Contender of(LockQueue.Contender contender, Instant now) {
			ContenderOrigin from = contender.origin();
			Integer permits = (contender.permits() > 0) ? contender.permits() : null;
			if (from == null) {
				return new Contender(null, null, null, null, null, null, null, contender.mode(), permits,
						contender.token(), contender.ours(), contender.path());
			}
			Duration age = from.age(now);
			return new Contender(from.application(), from.instance(), from.host(), from.pid(), from.thread(),
					from.since(), (age != null) ? age.toMillis() : null, contender.mode(), permits, contender.token(),
					contender.ours(), contender.path());
		}

	}

}
