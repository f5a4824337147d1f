package io.github.zklock.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Key stores with certificates that sign themselves, made with the JDK's keytool.
 */
public final class KeyStores {

	/** The password of all stores. */
	public static final String PASSWORD = "changeit";

	// Of the hash of the password: 10,000, the JDK's own number, take a second without
	// the second compiler
	private static final String ITERATIONS = "100";

	// Made once by each JVM: a keytool is a JVM of its own
	private static final Map<String, byte[]> MADE = new ConcurrentHashMap<>();

	private final Path directory;

	/**
	 * Creates a maker of stores.
	 * @param directory where they are
	 */
	public KeyStores(Path directory) {
		this.directory = directory;
	}

	/**
	 * Makes a key and its certificate, for this host.
	 * @param name whose key
	 * @return the key store
	 */
	public Path keys(String name) {
		return keys(name, "EC");
	}

	/**
	 * Makes several keys at once, and a certificate of each, for this host.
	 * @param names whose keys
	 * @return the key stores, in the order of the names
	 */
	public List<Path> keys(List<String> names) {
		List<CompletableFuture<Path>> stores = names.stream()
			.map((name) -> CompletableFuture.supplyAsync(() -> keys(name)))
			.toList();
		return stores.stream().map(CompletableFuture::join).toList();
	}

	/**
	 * Makes a key of an algorithm, and its certificate, for this host: the same one for
	 * the same name.
	 * @param name whose key
	 * @param algorithm as the JDK calls it
	 * @return the key store
	 */
	public Path keys(String name, String algorithm) {
		Path file = this.directory.resolve(name + "-keys.p12");
		try {
			return Files.write(file,
					MADE.computeIfAbsent(algorithm + " " + name, (key) -> make(file, name, algorithm)));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static byte[] make(Path file, String name, String algorithm) {
		// It lives too short for the second compiler to pay
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
						"-J-Dkeystore.pkcs12.keyPbeIterationCount=" + ITERATIONS,
						"-J-Dkeystore.pkcs12.certPbeIterationCount=" + ITERATIONS,
						"-J-Dkeystore.pkcs12.macIterationCount=" + ITERATIONS, "-J-XX:TieredStopAtLevel=1",
						"-J-XX:+UseSerialGC", "-genkeypair", "-alias", name, "-keyalg", algorithm, "-dname",
						"CN=" + name, "-ext", "SAN=ip:127.0.0.1,dns:localhost", "-validity", "36500", "-storetype",
						"PKCS12", "-keystore", file.toString(), "-storepass", PASSWORD));
		if (algorithm.startsWith("RSA")) {
			// The primes of a long one take seconds
			command.addAll(List.of("-keysize", "1024"));
		}
		try {
			Process keytool = new ProcessBuilder(command).inheritIO().start();
			if (!keytool.waitFor(60, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
				throw new IllegalStateException("keytool failed for " + name);
			}
			return Files.readAllBytes(file);
		}
		catch (IOException | InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Makes a trust store that trusts one certificate.
	 * @param name whose certificate
	 * @return the trust store
	 */
	public Path trusting(String name) {
		Path file = this.directory.resolve(name + "-trusted.p12");
		try {
			KeyStore trusted = KeyStore.getInstance("PKCS12");
			trusted.load(null, null);
			trusted.setCertificateEntry(name, load(this.directory.resolve(name + "-keys.p12")).getCertificate(name));
			try (OutputStream out = Files.newOutputStream(file)) {
				trusted.store(out, PASSWORD.toCharArray());
			}
			return file;
		}
		catch (IOException | GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Writes a key and its certificate as text.
	 * @param name whose key
	 * @return the file, with both
	 */
	public Path pem(String name) {
		Path file = this.directory.resolve(name + ".pem");
		try {
			KeyStore keys = load(this.directory.resolve(name + "-keys.p12"));
			return Files.writeString(file, pem("PRIVATE KEY", keys.getKey(name, PASSWORD.toCharArray()).getEncoded())
					+ pem("CERTIFICATE", keys.getCertificate(name).getEncoded()));
		}
		catch (IOException | GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static String pem(String kind, byte[] content) {
		String text = Base64.getMimeEncoder(64, new byte[] { '\n' }).encodeToString(content);
		return "-----BEGIN %1$s-----%n%2$s%n-----END %1$s-----%n".formatted(kind, text);
	}

	private static KeyStore load(Path file) throws IOException, GeneralSecurityException {
		KeyStore store = KeyStore.getInstance("PKCS12");
		try (InputStream in = Files.newInputStream(file)) {
			store.load(in, PASSWORD.toCharArray());
		}
		return store;
	}

}
