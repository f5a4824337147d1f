package io.github.zklock.actuate.endpoint;

import java.security.Principal;
import java.util.List;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

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
	 * @param key the key
	 * @return who held it
	 */
	@DeleteOperation
	public Key release(SecurityContext securityContext, @Selector(match = Selector.Match.ALL_REMAINING) String... key) {
		String released = String.join("/", key);
		Principal principal = securityContext.getPrincipal();
		String who = (principal != null) ? principal.getName() : "an unknown user";
		log.warn("The release of lock '{}' is forced through the endpoint zklocks by {}", released, who);
		List<LockQueue.Contender> holders = inspector().forceRelease(released);
		for (LockQueue.Contender holder : holders) {
			var from = holder.origin();
			log.warn("Lock '{}' was taken from {} by {}: the node {} was deleted", released,
					(from != null) ? from.who() : "a stranger", who, holder.path());
		}
		if (holders.isEmpty()) {
			log.warn("Nobody held lock '{}'", released);
		}
		return Key.of(new LockQueue(released, holders));
	}

}
