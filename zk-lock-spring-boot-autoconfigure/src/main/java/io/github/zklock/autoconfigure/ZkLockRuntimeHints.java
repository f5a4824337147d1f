package io.github.zklock.autoconfigure;

import java.util.List;

import org.apache.zookeeper.ClientCnxnSocketNIO;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.util.ClassUtils;

import io.github.zklock.actuate.endpoint.ReleasingZkLocksEndpoint;

/**
 * Declares for a native image what ZooKeeper's client makes by name, and the operations
 * of the endpoint that releases.
 */
final class ZkLockRuntimeHints implements RuntimeHintsRegistrar {

	private static final String ENDPOINT = "org.springframework.boot.actuate.endpoint.annotation.Endpoint";

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.reflection()
			.registerTypes(
					List.of(TypeReference.of(ClientCnxnSocketNIO.class),
							TypeReference.of("org.apache.zookeeper.ClientCnxnSocketNetty")),
					(type) -> type.withMembers(MemberCategory.INVOKE_DECLARED_CONSTRUCTORS));
		if (ClassUtils.isPresent(ENDPOINT, classLoader)) {
			// Its bean is declared as the endpoint that only reads
			new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(hints, ReleasingZkLocksEndpoint.class);
		}
	}

}
