package io.github.zklock.autoconfigure;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

import io.github.zklock.testing.KeyStores;
import io.github.zklock.testing.SecuredServer;

/**
 * A server that speaks TLS only and wants a certificate of its clients, and the key
 * stores of clients.
 *
 * @param server the server
 * @param host its address
 * @param clientKeys the keys of a client that the server trusts
 * @param strangersKeys the keys of somebody whom the server does not trust
 * @param serverTrusted a trust store with the server's certificate
 * @param strangerTrusted a trust store with the stranger's certificate alone
 */
record TlsServer(SecuredServer server, String host, Path clientKeys, Path strangersKeys, Path serverTrusted,
		Path strangerTrusted) implements AutoCloseable {

	static TlsServer start(Path directory) {
		return start(directory, List.of("127.0.0.1")).get(0);
	}

	// At once and with one certificate, which has the name 127.0.0.1
	static List<TlsServer> start(Path directory, List<String> hosts) {
		KeyStores stores = new KeyStores(directory);
		List<Path> keys = stores.keys(List.of("server", "client", "stranger"));
		Path clientTrusted = stores.trusting("client");
		Path serverTrusted = stores.trusting("server");
		Path strangerTrusted = stores.trusting("stranger");
		List<CompletableFuture<TlsServer>> started = hosts.stream()
			.map((host) -> CompletableFuture
				.supplyAsync(() -> new TlsServer(start(directory.resolve(host), host, keys.get(0), clientTrusted), host,
						keys.get(1), keys.get(2), serverTrusted, strangerTrusted)))
			.toList();
		return started.stream().map(CompletableFuture::join).toList();
	}

	private static SecuredServer start(Path directory, String host, Path keys, Path trusted) {
		return SecuredServer.startWithTls(directory,
				Map.of("secureClientPortAddress", host, "serverCnxnFactory",
						"org.apache.zookeeper.server.NettyServerCnxnFactory", "ssl.keyStore.location", keys.toString(),
						"ssl.keyStore.password", KeyStores.PASSWORD, "ssl.trustStore.location", trusted.toString(),
						"ssl.trustStore.password", KeyStores.PASSWORD, "ssl.clientAuth", "need", "authProvider.x509",
						"org.apache.zookeeper.server.auth.X509AuthenticationProvider"));
	}

	String connectString() {
		return this.server.connectString().replace("127.0.0.1", this.host);
	}

	@Override
	public void close() {
		this.server.close();
	}

	/**
	 * Describes an SSL bundle of the name "zk".
	 */
	static String[] bundle(@Nullable Path keys, Path trusted) {
		List<String> properties = new ArrayList<>();
		if (keys != null) {
			properties.add("spring.ssl.bundle.jks.zk.keystore.location=file:" + keys);
			properties.add("spring.ssl.bundle.jks.zk.keystore.password=" + KeyStores.PASSWORD);
		}
		properties.add("spring.ssl.bundle.jks.zk.truststore.location=file:" + trusted);
		properties.add("spring.ssl.bundle.jks.zk.truststore.password=" + KeyStores.PASSWORD);
		return properties.toArray(String[]::new);
	}

}
