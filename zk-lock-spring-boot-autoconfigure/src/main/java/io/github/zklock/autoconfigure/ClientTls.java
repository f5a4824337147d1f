package io.github.zklock.autoconfigure;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import javax.net.ssl.KeyManager;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509KeyManager;
import javax.net.ssl.X509TrustManager;

import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ClientX509Util;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.util.FileSystemUtils;
import org.springframework.util.StringUtils;

/**
 * Brings an SSL bundle to ZooKeeper's client, which reads keys and certificates from
 * files only, on each new connection. The files are in a directory that only this user
 * may read, encrypted with a password that is in this process's memory alone, and are
 * deleted at the end. What cleans temporary directories deletes them before, so they are
 * written again where a connection is to be made.
 */
final class ClientTls implements AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(ClientTls.class);

	private static final String TYPE = "PKCS12";

	private static final String KEYS = "keys.p12";

	private static final String TRUSTED = "trusted.p12";

	/** What the client takes for a property that is not set. */
	private static final String UNSET = "";

	private static final String[] KEY_TYPES = { "EC", "RSA", "EdDSA", "DSA", "RSASSA-PSS" };

	private final String password = newPassword();

	private final @Nullable SslBundle bundle;

	private final @Nullable Path directory;

	private final @Nullable UserPrincipal owner;

	/** What is in the files, by their names, to write it again. */
	private final Map<String, byte[]> stores = new ConcurrentHashMap<>();

	/** Whether files may be older than what is in the stores. */
	private boolean outdated;

	private boolean closed;

	/**
	 * Writes the files.
	 * @param bundle the bundle, or null for connections without TLS
	 * @throws ZkLockStartupException if the bundle cannot be used
	 */
	ClientTls(@Nullable SslBundle bundle) {
		this.bundle = bundle;
		try {
			this.directory = (bundle != null) ? Files.createTempDirectory("zk-lock-tls") : null;
			this.owner = (this.directory != null) ? Files.getOwner(this.directory) : null;
			if (bundle != null) {
				keep(bundle);
				write();
			}
		}
		catch (IOException | GeneralSecurityException | RuntimeException ex) {
			close();
			throw new ZkLockStartupException("The SSL bundle of zk-lock.ssl.bundle cannot be used: " + ex.getMessage(),
					"Check the locations, types and passwords of its key store and its trust store.", ex);
		}
	}

	private static String newPassword() {
		byte[] random = new byte[24];
		new SecureRandom().nextBytes(random);
		return HexFormat.of().formatHex(random);
	}

	/**
	 * Replaces the files. Connections that are made from now on use them; if they cannot
	 * be written now, those that are made once they can. Does nothing once this is
	 * closed: bundles, which may be a parent context's, go on reporting.
	 * @param changed the bundle as it is now
	 */
	synchronized void update(SslBundle changed) {
		if (this.closed) {
			return;
		}
		try {
			keep(changed);
		}
		catch (IOException | GeneralSecurityException | RuntimeException ex) {
			log.error("The changed SSL bundle cannot be used; connections to ZooKeeper go on with the former one", ex);
		}
		restore();
	}

	/**
	 * Writes files that are not there any more, or could not be written when the bundle
	 * changed, so that a connection can be made.
	 */
	synchronized void restore() {
		if (this.closed || this.bundle == null) {
			return;
		}
		try {
			write();
		}
		catch (IOException | RuntimeException ex) {
			log.error(
					"The SSL bundle cannot be written to {}, where ZooKeeper's client reads it; this is tried again when a connection is lost or made",
					this.directory, ex);
		}
	}

	private void write() throws IOException {
		makeDirectory();
		Map<String, byte[]> due = new LinkedHashMap<>(this.stores);
		if (!this.outdated) {
			due.keySet().removeIf((name) -> Files.exists(file(name)));
		}
		replace(due);
		this.outdated = false;
	}

	// Others may have taken the name meanwhile
	private void makeDirectory() throws IOException {
		Path path = directory();
		if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
			Files.createDirectory(path, forOwnerOnly(path));
		}
		else if (!Files.getOwner(path, LinkOption.NOFOLLOW_LINKS).equals(this.owner)) {
			throw new IOException("The directory %s belongs to another user".formatted(path));
		}
	}

	private static FileAttribute<?>[] forOwnerOnly(Path path) {
		return path.getFileSystem().supportedFileAttributeViews().contains("posix")
				? new FileAttribute<?>[] {
						PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")) }
				: new FileAttribute<?>[0];
	}

	// One that cannot be used leaves the other one as it is
	private void keep(SslBundle from) throws IOException, GeneralSecurityException {
		Map<String, byte[]> fresh = new LinkedHashMap<>();
		if (from.getStores().getKeyStore() != null) {
			fresh.put(KEYS, encrypted(keys(from)));
		}
		if (from.getStores().getTrustStore() != null) {
			fresh.put(TRUSTED, encrypted(trusted(from)));
		}
		this.stores.putAll(fresh);
		this.outdated = true;
	}

	// A connection may be made meanwhile, so each file is replaced as a whole
	private void replace(Map<String, byte[]> fresh) throws IOException {
		for (Map.Entry<String, byte[]> one : fresh.entrySet()) {
			Files.write(file(one.getKey() + ".new"), one.getValue());
		}
		for (String name : fresh.keySet()) {
			Files.move(file(name + ".new"), file(name), StandardCopyOption.REPLACE_EXISTING);
		}
	}

	private Path file(String name) {
		return directory().resolve(name);
	}

	private Path directory() {
		if (this.directory == null) {
			throw new IllegalStateException("There is no TLS");
		}
		return this.directory;
	}

	private KeyStore keys(SslBundle from) throws IOException, GeneralSecurityException {
		KeyStore store = empty();
		for (KeyManager manager : from.getManagers().getKeyManagers()) {
			if (manager instanceof X509KeyManager keys) {
				addKeys(keys, from.getKey().getAlias(), store);
			}
		}
		return store;
	}

	private void addKeys(X509KeyManager keys, @Nullable String chosen, KeyStore store) throws GeneralSecurityException {
		for (String type : KEY_TYPES) {
			String[] aliases = keys.getClientAliases(type, null);
			for (String alias : (aliases != null) ? aliases : new String[0]) {
				PrivateKey key = isChosen(alias, chosen) ? keys.getPrivateKey(alias) : null;
				if (key != null) {
					store.setKeyEntry(alias, key, this.password.toCharArray(), keys.getCertificateChain(alias));
				}
			}
		}
	}

	// Key managers of the algorithm PKIX put two numbers in front: 1.0.alias
	private static boolean isChosen(String alias, @Nullable String chosen) {
		return !StringUtils.hasText(chosen) || alias.replaceFirst("^\\d+\\.\\d+\\.", "").equalsIgnoreCase(chosen)
				|| alias.equalsIgnoreCase(chosen);
	}

	private static KeyStore trusted(SslBundle from) throws IOException, GeneralSecurityException {
		KeyStore store = empty();
		for (TrustManager manager : from.getManagers().getTrustManagers()) {
			if (manager instanceof X509TrustManager trust) {
				for (X509Certificate certificate : trust.getAcceptedIssuers()) {
					store.setCertificateEntry("trusted-" + store.size(), certificate);
				}
			}
		}
		return store;
	}

	private static KeyStore empty() throws IOException, GeneralSecurityException {
		KeyStore store = KeyStore.getInstance(TYPE);
		store.load(null, null);
		return store;
	}

	private byte[] encrypted(KeyStore store) throws IOException, GeneralSecurityException {
		ByteArrayOutputStream out = new ByteArrayOutputStream();
		store.store(out, this.password.toCharArray());
		return out.toByteArray();
	}

	boolean isUsed() {
		return this.bundle != null;
	}

	/**
	 * Makes ZooKeeper's client use TLS, if there is a bundle.
	 * @param config the client's configuration
	 */
	void configure(ZKClientConfig config) {
		if (this.bundle == null) {
			return;
		}
		unsetStores(config);
		required().forEach(config::setProperty);
		try (ClientX509Util names = new ClientX509Util()) {
			// The bundle's default names the family, where ZooKeeper wants a version
			if (this.bundle.getProtocol().startsWith("TLSv")) {
				config.setProperty(names.getSslProtocolProperty(), this.bundle.getProtocol());
			}
			String[] protocols = this.bundle.getOptions().getEnabledProtocols();
			if (protocols != null) {
				config.setProperty(names.getSslEnabledProtocolsProperty(), String.join(",", protocols));
			}
			String[] ciphers = this.bundle.getOptions().getCiphers();
			if (ciphers != null) {
				config.setProperty(names.getCipherSuitesProperty(), String.join(",", ciphers));
			}
		}
	}

	/**
	 * Returns whether a connection would use the bundle. Protocols and ciphers may differ
	 * from its own.
	 * @param config the client's configuration
	 * @return true also if there is no bundle
	 */
	boolean isIn(ZKClientConfig config) {
		return this.bundle == null || required().entrySet()
			.stream()
			.allMatch((one) -> one.getValue().equals(config.getProperty(one.getKey(), UNSET)));
	}

	private Map<String, String> required() {
		Map<String, String> properties = new LinkedHashMap<>();
		properties.put(ZKClientConfig.SECURE_CLIENT, "true");
		properties.put(ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET, "org.apache.zookeeper.ClientCnxnSocketNetty");
		try (ClientX509Util names = new ClientX509Util()) {
			if (this.stores.containsKey(KEYS)) {
				properties.put(names.getSslKeystoreLocationProperty(), file(KEYS).toString());
				properties.put(names.getSslKeystorePasswdProperty(), this.password);
				properties.put(names.getSslKeystorePasswdPathProperty(), UNSET);
				properties.put(names.getSslKeystoreTypeProperty(), TYPE);
			}
			if (this.stores.containsKey(TRUSTED)) {
				properties.put(names.getSslTruststoreLocationProperty(), file(TRUSTED).toString());
				properties.put(names.getSslTruststorePasswdProperty(), this.password);
				properties.put(names.getSslTruststorePasswdPathProperty(), UNSET);
				properties.put(names.getSslTruststoreTypeProperty(), TYPE);
			}
		}
		return properties;
	}

	// A store that the bundle does not have is not the one of the JVM's system properties
	private static void unsetStores(ZKClientConfig config) {
		try (ClientX509Util names = new ClientX509Util()) {
			Stream
				.of(names.getSslKeystoreLocationProperty(), names.getSslKeystorePasswdProperty(),
						names.getSslKeystorePasswdPathProperty(), names.getSslKeystoreTypeProperty(),
						names.getSslTruststoreLocationProperty(), names.getSslTruststorePasswdProperty(),
						names.getSslTruststorePasswdPathProperty(), names.getSslTruststoreTypeProperty())
				.forEach((name) -> config.setProperty(name, UNSET));
		}
	}

	@Override
	public synchronized void close() {
		this.closed = true;
		try {
			FileSystemUtils.deleteRecursively(this.directory);
		}
		catch (IOException ex) {
			log.warn("The temporary directory {} could not be deleted", this.directory, ex);
		}
	}

}
