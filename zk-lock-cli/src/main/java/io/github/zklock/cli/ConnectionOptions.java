package io.github.zklock.cli;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * How the servers are reached. Each option goes before the property of the same name in
 * the file.
 */
final class ConnectionOptions {

	/** Those that are asked for where they have no value. */
	static final List<String> PASSWORDS = List.of("--password", "--keystore-password", "--truststore-password");

	@Option(names = "--properties", paramLabel = "FILE",
			description = "A file with the zk-lock.* properties of an application, as text of name=value")
	@Nullable Path properties;

	@Option(names = "--connect-string", paramLabel = "SERVERS",
			description = "The servers, as in zk1:2181,zk2:2181/path (zk-lock.connect-string)")
	@Nullable String connectString;

	@Option(names = "--root", paramLabel = "PATH", description = "Where the locks are (zk-lock.root; /zk-lock)")
	@Nullable String root;

	@Option(names = "--key-prefix", paramLabel = "TEXT",
			description = "What each key begins with in ZooKeeper (zk-lock.key-prefix; none)")
	@Nullable String keyPrefix;

	@Option(names = "--nested-keys", arity = "0..1", fallbackValue = "true", paramLabel = "BOOLEAN",
			description = "Whether a / in a key makes a path (zk-lock.nested-keys; false)")
	@Nullable Boolean nestedKeys;

	@Option(names = "--session-timeout", converter = TimeSpan.class, paramLabel = "DURATION",
			description = "The session time-out (zk-lock.session-timeout; 15s)")
	@Nullable Duration sessionTimeout;

	@Option(names = "--connection-timeout", converter = TimeSpan.class, paramLabel = "DURATION",
			description = "How long a server may take to answer at first (zk-lock.connection-timeout; 10s)")
	@Nullable Duration connectionTimeout;

	@Option(names = "--username", paramLabel = "NAME",
			description = "Who it is to the servers (zk-lock.auth[0].username)")
	@Nullable String username;

	@Option(names = "--password", arity = "0..1", interactive = true, paramLabel = "PASSWORD",
			description = "The password, after =; asked for if left out (zk-lock.auth[0].password)")
	@Nullable String password;

	@Option(names = "--keystore", paramLabel = "FILE",
			description = "TLS: the own key and certificate (spring.ssl.bundle.jks.<zk-lock.ssl.bundle>.keystore.location)")
	@Nullable String keystore;

	@Option(names = "--keystore-password", arity = "0..1", interactive = true, paramLabel = "PASSWORD",
			description = "Its password, after =; asked for if left out")
	@Nullable String keystorePassword;

	@Option(names = "--truststore", paramLabel = "FILE",
			description = "TLS: the certificates that are trusted (spring.ssl.bundle.jks.<zk-lock.ssl.bundle>.truststore.location)")
	@Nullable String truststore;

	@Option(names = "--truststore-password", arity = "0..1", interactive = true, paramLabel = "PASSWORD",
			description = "Its password, after =; asked for if left out")
	@Nullable String truststorePassword;

}
