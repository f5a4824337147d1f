package io.github.zklock.cli;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * What a file says of an SSL bundle, apart from its stores.
 *
 * @param prefix what the names of its properties begin with
 * @param settings what has the file
 */
record TlsBundle(String prefix, ConnectionSettings settings) {

	/**
	 * Anything else would be ignored without a word. What is said of providers and of PEM
	 * stores is the application's: the command line takes stores as a whole, which
	 * docs/operations.md says.
	 */
	private static final Pattern KNOWN = Pattern
		.compile("(key|trust)store\\.(location|password|provider|type|certificate|verify-keys"
				+ "|private-key|private-key-password)|key\\.(alias|password)|protocol|reload-on-update"
				+ "|options\\.(enabled-protocols|ciphers)(\\[\\d+])?");

	/**
	 * Checks what can be checked without a server.
	 * @param names the names of all properties
	 * @throws IllegalArgumentException if one of them cannot be followed
	 */
	void check(Collection<String> names) {
		for (String name : names) {
			if (name.startsWith(this.prefix) && !KNOWN.matcher(name.substring(this.prefix.length())).matches()) {
				throw new IllegalArgumentException(
						"The file of --properties has %s, which the command line does not know; of a bundle it knows keystore, truststore, protocol, options.enabled-protocols and options.ciphers"
							.formatted(name));
			}
		}
		protocol();
		enabledProtocols();
		ciphers();
	}

	/**
	 * Checks that the key which is shown is the one that the bundle names: ZooKeeper's
	 * client takes any of the store, with the password of that.
	 * @param keys the bundle's key store, or null if it is not used
	 * @throws IllegalArgumentException if it may be another one
	 */
	void checkKey(ConnectionSettings.@Nullable Store keys) {
		String alias = this.settings.text(this.prefix + "key.alias");
		if (keys != null && alias != null) {
			keys.keys().stream().filter((one) -> !one.equalsIgnoreCase(alias)).findFirst().ifPresent((other) -> {
				throw new IllegalArgumentException(
						"The key store '%s' has the key '%s' besides the one that %skey.alias names, and the command line may show any; give a store of that key alone as --keystore"
							.formatted(keys.file(), other, this.prefix));
			});
		}
		String password = this.settings.exactText(this.prefix + "key.password");
		if (keys != null && password != null && !password.equals(keys.password())) {
			throw new IllegalArgumentException(
					"%skey.password is not the password of the key store '%s', and the command line knows no other; give a store with one password as --keystore"
						.formatted(this.prefix, keys.file()));
		}
	}

	/**
	 * Returns the version of TLS.
	 * @return the protocol; null for ZooKeeper's default
	 */
	@Nullable String protocol() {
		String protocol = this.settings.text(this.prefix + "protocol");
		// Spring Boot's default names the family, where ZooKeeper wants a version
		return (protocol != null && protocol.startsWith("TLSv")) ? protocol : null;
	}

	/**
	 * Returns the versions of TLS that may be used.
	 * @return their names with commas between them; null for ZooKeeper's default
	 */
	@Nullable String enabledProtocols() {
		return all(this.prefix + "options.enabled-protocols");
	}

	/**
	 * Returns the cipher suites that may be used.
	 * @return their names with commas between them; null for ZooKeeper's default
	 */
	@Nullable String ciphers() {
		return all(this.prefix + "options.ciphers");
	}

	// One value with commas, or one for each number
	private @Nullable String all(String name) {
		List<String> values = new ArrayList<>();
		String value = this.settings.text(name);
		String next = (value != null) ? value : this.settings.text(name + "[0]");
		while (next != null) {
			values.add(next);
			next = (value != null) ? null : this.settings.text(name + "[" + values.size() + "]");
		}
		String all = values.stream()
			.flatMap((one) -> Stream.of(one.split(",")))
			.map(String::trim)
			.filter((one) -> !one.isEmpty())
			.collect(Collectors.joining(","));
		return all.isEmpty() ? null : all;
	}

}
