package io.github.zklock.autoconfigure;

import java.util.List;

import org.apache.zookeeper.ClientCnxnSocketNIO;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;

/**
 * Declares for a native image what ZooKeeper's client makes by name.
 */
final class ZkLockRuntimeHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.reflection()
			.registerTypes(
					List.of(TypeReference.of(ClientCnxnSocketNIO.class),
							TypeReference.of("org.apache.zookeeper.ClientCnxnSocketNetty")),
					(type) -> type.withMembers(MemberCategory.INVOKE_DECLARED_CONSTRUCTORS));
	}

}
