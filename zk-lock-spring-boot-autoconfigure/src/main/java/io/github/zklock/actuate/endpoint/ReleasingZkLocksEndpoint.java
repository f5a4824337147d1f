package io.github.zklock.actuate.endpoint;

import java.security.Principal;
import java.util.ArrayList;
import java.util.List;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

import io.github.zklock.LockException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.inspect.LockInspector;
import io.github.zklock.inspect.LockQueue;

/**
 * Also takes locks away from their holders. Each time is logged.
 *
 * @since 0.1.0
 */
public final class ReleasingZkLocksEndpoint extends ZkLocksEndpoint {

	private static final Logger log = LoggerFactory.getLogger(ReleasingZkLocksEndpoint.class);

	/**
	 * Creates an endpoint.
	 * @param inspector looks at the locks
	 */
	public ReleasingZkLocksEndpoint(LockInspector inspector) {
		super(inspector);
	}

	/**
	 * Takes a lock away from those who hold it.
	 * @param securityContext who asks for it
	 * @param key the key; what is between slashes may be given one by one
	 * @return who held it
	 * @throws InvalidEndpointRequestException if the path says another key, or may mean
	 * one that reads the same
	 */
	@DeleteOperation
	public Key release(SecurityContext securityContext, @Selector(match = Selector.Match.ALL_REMAINING) String... key) {
		String read = String.join("/", key);
		WrittenPath.requireSays(read);
		for (String alike : alike(key)) {
			if (!inspector().line(alike).contenders().isEmpty()) {
				throw WrittenPath.different(read,
						"there is also '%s', which reads the same in a path".formatted(alike));
			}
		}
		return takeAway(securityContext, read);
	}

	/**
	 * Takes a lock away from those who hold it.
	 * @param securityContext who asks for it
	 * @param key the key, whatever it has in it
	 * @return who held it
	 * @throws InvalidEndpointRequestException if the key is empty
	 */
	@DeleteOperation
	public Key releaseKey(SecurityContext securityContext, String key) {
		return takeAway(securityContext, requireText(key));
	}

	// One slash more, at each place where a path may have it.
	private static List<String> alike(String... segments) {
		List<String> keys = new ArrayList<>();
		for (int i = 0; i <= segments.length; i++) {
			List<String> parts = new ArrayList<>(List.of(segments));
			parts.add(i, "");
			keys.add(String.join("/", parts));
		}
		return keys;
	}

	private Key takeAway(SecurityContext securityContext, String key) {
		Principal principal = securityContext.getPrincipal();
		String who = (principal != null) ? LockException.printable(principal.getName()) : "an unknown user";
		String named = LockException.printable(key);
		log.warn("The release of lock '{}' is forced through the endpoint zklocks by {}", named, who);
		List<LockQueue.Contender> holders = release(key, named, who);
		if (holders.isEmpty()) {
			log.warn("Nobody held lock '{}'", named);
		}
		return key(new LockQueue(key, holders));
	}

	private List<LockQueue.Contender> release(String key, String named, String who) {
		try {
			return inspector().forceRelease(key, (holder) -> {
				var from = holder.origin();
				log.warn("Lock '{}' was taken from {} by {}: the node {} was deleted", named,
						(from != null) ? from.who() : "a stranger", who, holder.path());
			});
		}
		catch (LockUnavailableException ex) {
			log.warn("The release of lock '{}' by {} has failed, and one more node may be gone: {}", named, who,
					ex.getMessage());
			throw ex;
		}
	}

}
