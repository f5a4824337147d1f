package io.github.zklock.cli;

import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Properties;

import org.apache.curator.framework.AuthInfo;
import org.apache.zookeeper.client.ConnectStringParser;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.TypeConversionException;

/**
 * How the servers are reached: what the options say, then what the file says, then the
 * defaults of the properties.
 */
final class ConnectionSettings {

	private static final String BUNDLES = "spring.ssl.bundle.";

	private final ConnectionOptions options;

	private final Properties file;

	private ConnectionSettings(ConnectionOptions options, Properties file) {
		this.options = options;
		this.file = file;
	}

	/**
	 * Reads the file, and checks what can be checked without a server.
	 * @param options the options
	 * @return the settings
	 * @throws IllegalArgumentException if they cannot be used
	 */
	static ConnectionSettings read(ConnectionOptions options) {
		Properties file = new Properties();
		Path path = options.properties;
		if (path != null) {
			// Once, as it may be a pipe, and as Spring Boot reads it
			try {
				List<String> lines = Files.readAllLines(path, StandardCharsets.ISO_8859_1);
				file.load(new StringReader(String.join("\n", lines)));
				refuseDocuments(path, lines, file);
			}
			catch (IOException ex) {
				throw new IllegalArgumentException(
						"The file '%s' of --properties cannot be read: %s".formatted(path, ex), ex);
			}
		}
		ConnectionSettings settings = new ConnectionSettings(options, file);
		settings.check();
		return settings;
	}

	// Which of several documents applies depends on the application's profiles
	private static void refuseDocuments(Path path, List<String> lines, Properties file) {
		boolean before = false;
		boolean separated = false;
		for (int i = 0; i < lines.size(); i++) {
			if (isSeparator(lines, i, '#') || isSeparator(lines, i, '!')) {
				separated = before;
			}
			else if (isProperty(lines.get(i))) {
				if (separated) {
					throw new IllegalArgumentException(
							"The file '%s' of --properties has several documents; give one that has a single document"
								.formatted(path));
				}
				before = true;
			}
		}
		for (String name : file.stringPropertyNames()) {
			if (name.startsWith("spring.config.activate.") || name.startsWith("spring.config.import")) {
				throw new IllegalArgumentException(
						"The file '%s' of --properties has %s, which is not evaluated here".formatted(path, name));
			}
		}
	}

	// As Spring Boot finds one: not beside other comments
	private static boolean isSeparator(List<String> lines, int at, char comment) {
		return lines.get(at).stripTrailing().equals(comment + "---")
				&& (at == 0 || lines.get(at - 1).indexOf(comment) != 0)
				&& (at + 1 == lines.size() || lines.get(at + 1).indexOf(comment) != 0);
	}

	// Of documents that have no property Spring Boot makes nothing
	private static boolean isProperty(String line) {
		String text = line.strip();
		return !text.isEmpty() && text.charAt(0) != '#' && text.charAt(0) != '!';
	}

	private void check() {
		checkServers(connectString());
		millis("session-timeout", sessionTimeout());
		millis("connection-timeout", connectionTimeout());
		nestedKeys();
		auth();
		keystore();
		truststore();
		TlsBundle bundle = bundle();
		if (bundle != null) {
			bundle.check(this.file.stringPropertyNames());
			bundle.checkKey((this.options.keystore == null) ? keystore() : null);
		}
		if (text("zk-lock.sasl.login-context") != null) {
			throw new IllegalArgumentException("zk-lock.sasl.login-context is set, but the command line has no SASL");
		}
	}

	private static void checkServers(String connectString) {
		Exception cause = null;
		try {
			if (!new ConnectStringParser(connectString).getServerAddresses().isEmpty()) {
				return;
			}
		}
		catch (IllegalArgumentException ex) {
			cause = ex;
		}
		throw new IllegalArgumentException(
				"The connect string '%s' is malformed; write host:port pairs with commas between them"
					.formatted(connectString),
				cause);
	}

	/**
	 * Returns what the file says.
	 * @param name the name of a property
	 * @return its value without blanks around it; null if there is none
	 * @throws IllegalArgumentException if it has a placeholder
	 */
	@Nullable String text(String name) {
		String value = exactText(name);
		return (value == null || value.isBlank()) ? null : value.trim();
	}

	/**
	 * Returns what the file says. Blanks at the end are a part of what an application
	 * sends to the servers.
	 * @param name the name of a property
	 * @return its value; null if there is none
	 * @throws IllegalArgumentException if it has a placeholder
	 */
	@Nullable String exactText(String name) {
		String value = this.file.getProperty(name);
		if (value == null || value.isEmpty()) {
			return null;
		}
		if (value.contains("${")) {
			throw new IllegalArgumentException(
					name + " has a placeholder in the file of --properties, where no placeholder is resolved");
		}
		return value;
	}

	String connectString() {
		String option = this.options.connectString;
		String found = (option != null) ? option : text("zk-lock.connect-string");
		if (found == null) {
			throw new IllegalArgumentException(
					"Give --connect-string, or a file with zk-lock.connect-string as --properties");
		}
		return found;
	}

	String root() {
		return exact(this.options.root, "zk-lock.root", "/zk-lock");
	}

	String keyPrefix() {
		return exact(this.options.keyPrefix, "zk-lock.key-prefix", "");
	}

	private String exact(@Nullable String option, String name, String otherwise) {
		return Objects.requireNonNullElse((option != null) ? option : exactText(name), otherwise);
	}

	boolean nestedKeys() {
		Boolean option = this.options.nestedKeys;
		return (option != null) ? option : flag("zk-lock.nested-keys");
	}

	// What Spring Boot takes for a boolean
	private boolean flag(String name) {
		String value = text(name);
		if (value == null) {
			return false;
		}
		return switch (value.toLowerCase(Locale.ROOT)) {
			case "true", "on", "yes", "1" -> true;
			case "false", "off", "no", "0" -> false;
			default -> throw new IllegalArgumentException(
					"%s is '%s', which is neither true nor false".formatted(name, value));
		};
	}

	Duration sessionTimeout() {
		return duration(this.options.sessionTimeout, "zk-lock.session-timeout", Duration.ofSeconds(15));
	}

	Duration connectionTimeout() {
		return duration(this.options.connectionTimeout, "zk-lock.connection-timeout", Duration.ofSeconds(10));
	}

	private Duration duration(@Nullable Duration option, String name, Duration otherwise) {
		if (option != null) {
			return option;
		}
		String value = text(name);
		try {
			return (value != null) ? TimeSpan.parse(value) : otherwise;
		}
		catch (TypeConversionException ex) {
			throw new IllegalArgumentException(name + ": " + ex.getMessage(), ex);
		}
	}

	/**
	 * Returns a duration as ZooKeeper wants it.
	 * @param name its property
	 * @param duration the duration
	 * @return its milliseconds
	 * @throws IllegalArgumentException if it is zero or too long
	 */
	static int millis(String name, Duration duration) {
		if (duration.toMillis() < 1 || duration.compareTo(Duration.ofMillis(Integer.MAX_VALUE)) > 0) {
			throw new IllegalArgumentException(
					"%s must be positive and at most 24 days, but is %s".formatted(name, duration));
		}
		return (int) duration.toMillis();
	}

	/**
	 * Returns what is shown to the servers.
	 * @return the credentials, empty for none
	 */
	List<AuthInfo> auth() {
		String username = this.options.username;
		String password = this.options.password;
		List<AuthInfo> all = new ArrayList<>();
		boolean byOption = username != null || password != null;
		for (String entry = entry(0); byOption || isThere(entry); entry = entry(all.size())) {
			all.add(credentials(Objects.requireNonNullElse(text(entry + "scheme"), "digest"),
					(username != null) ? username : exactText(entry + "username"),
					(password != null) ? password : exactText(entry + "password"),
					(byOption ? "--username and --password" : entry + "username and " + entry + "password")));
			byOption = false;
			username = null;
			password = null;
		}
		return all;
	}

	private static String entry(int index) {
		return "zk-lock.auth[" + index + "].";
	}

	private boolean isThere(String entry) {
		return this.file.stringPropertyNames().stream().anyMatch((name) -> name.startsWith(entry));
	}

	private static AuthInfo credentials(String scheme, @Nullable String username, @Nullable String password,
			String names) {
		if (password == null || (username == null && scheme.equals("digest"))) {
			throw new IllegalArgumentException("Of " + names + " one is missing");
		}
		if (username != null && username.indexOf(':') >= 0) {
			throw new IllegalArgumentException("A username must not have a colon, but begins with '"
					+ username.substring(0, username.indexOf(':') + 1) + "'");
		}
		String secret = (username != null) ? username + ":" + password : password;
		return new AuthInfo(scheme, secret.getBytes(StandardCharsets.UTF_8));
	}

	@Nullable Store keystore() {
		return store("keystore", this.options.keystore, this.options.keystorePassword);
	}

	@Nullable Store truststore() {
		return store("truststore", this.options.truststore, this.options.truststorePassword);
	}

	private @Nullable Store store(String kind, @Nullable String location, @Nullable String password) {
		if (location != null) {
			return Store.of("--" + kind, location, password, null);
		}
		TlsBundle bundle = bundle();
		if (bundle == null) {
			return null;
		}
		String store = bundle.prefix() + kind + ".";
		String found = text(store + "location");
		return (found != null)
				? Store.of(store + "location", found, exact(password, store + "password", ""), text(store + "type"))
				: null;
	}

	/**
	 * Returns the SSL bundle.
	 * @return the bundle that is named, or null if none is
	 */
	@Nullable TlsBundle bundle() {
		String name = text("zk-lock.ssl.bundle");
		if (name == null) {
			return null;
		}
		String jks = BUNDLES + "jks." + name + ".";
		if (isThere(jks)) {
			return new TlsBundle(jks, this);
		}
		if (this.options.keystore == null || this.options.truststore == null) {
			throw new IllegalArgumentException(
					"zk-lock.ssl.bundle is '%s', but the file has no %s*".formatted(name, jks));
		}
		return new TlsBundle(BUNDLES + "pem." + name + ".", this);
	}

	/**
	 * Returns whether the servers are spoken to by TLS.
	 * @return whether a bundle is named or a store is given
	 */
	boolean isSecure() {
		return bundle() != null || this.options.keystore != null || this.options.truststore != null;
	}

	/**
	 * A key store or trust store.
	 *
	 * @param file the file
	 * @param password its password
	 * @param type its type; null to let ZooKeeper take it from the file's name
	 */
	record Store(Path file, String password, @Nullable String type) {

		static Store of(String name, String location, @Nullable String password, @Nullable String type) {
			Path file = Path.of(location.startsWith("file:") ? location.substring("file:".length()) : location);
			if (!Files.isReadable(file)) {
				throw new IllegalArgumentException(
						"%s is '%s', which is no file that can be read".formatted(name, file));
			}
			return new Store(file, (password != null) ? password : "", type);
		}

		/**
		 * Returns the names of its keys.
		 * @return the names
		 * @throws IllegalArgumentException if it cannot be read
		 */
		List<String> keys() {
			List<String> keys = new ArrayList<>();
			try {
				KeyStore store = KeyStore.getInstance(this.file.toFile(), this.password.toCharArray());
				for (String alias : Collections.list(store.aliases())) {
					if (store.entryInstanceOf(alias, KeyStore.PrivateKeyEntry.class)) {
						keys.add(alias);
					}
				}
			}
			catch (IOException | GeneralSecurityException ex) {
				throw new IllegalArgumentException("The key store '%s' cannot be read: %s".formatted(this.file, ex),
						ex);
			}
			return keys;
		}

	}

}
