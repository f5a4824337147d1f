package io.github.zklock.autoconfigure;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

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
		return start(directory, "127.0.0.1");
	}

	// Its certificate has the name 127.0.0.1
	static TlsServer start(Path directory, String host) {
		KeyStores stores = new KeyStores(directory);
		Path serverKeys = stores.keys("server");
		Path clientKeys = stores.keys("client");
		Path strangersKeys = stores.keys("stranger");
		SecuredServer server = SecuredServer.startWithTls(directory.resolve("server"),
				Map.of("secureClientPortAddress", host, "serverCnxnFactory",
						"org.apache.zookeeper.server.NettyServerCnxnFactory", "ssl.keyStore.location",
						serverKeys.toString(), "ssl.keyStore.password", KeyStores.PASSWORD, "ssl.trustStore.location",
						stores.trusting("client").toString(), "ssl.trustStore.password", KeyStores.PASSWORD,
						"ssl.clientAuth", "need", "authProvider.x509",
						"org.apache.zookeeper.server.auth.X509AuthenticationProvider"));
		return new TlsServer(server, host, clientKeys, strangersKeys, stores.trusting("server"),
				stores.trusting("stranger"));
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
