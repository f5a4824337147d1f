package io.github.zklock.autoconfigure;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/**
 * Where the ZooKeeper servers are, and how this client shows who it is. A bean of this
 * type wins over {@code zk-lock.connect-string} and {@code zk-lock.ssl}, and over
 * {@code zk-lock.auth} if it has credentials.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface ZkLockConnectionDetails extends ConnectionDetails {

	/**
	 * Returns where the servers are.
	 * @return {@code host:port} pairs with commas between them, optionally followed by a
	 * path
	 */
	String connectString();

	/**
	 * Returns how this client shows the servers who it is.
	 * @return the credentials, empty for those of {@code zk-lock.auth}
	 */
	default List<Credentials> credentials() {
		return List.of();
	}

	/**
	 * Returns what encrypts the connection.
	 * @return the SSL bundle, or null for a connection without TLS
	 */
	default @Nullable SslBundle sslBundle() {
		return null;
	}

	/**
	 * What is sent to a server on each new connection, before anything else. The secret
	 * is not in the text of this object.
	 *
	 * @param scheme a scheme of ZooKeeper's
	 * @param secret what the scheme wants
	 */
	record Credentials(String scheme, String secret) {

		/**
		 * Returns the credentials of ZooKeeper's scheme {@code digest}.
		 * @param username the name, without a colon
		 * @param password the password
		 * @return the credentials
		 */
		public static Credentials digest(String username, String password) {
			return new Credentials("digest", username + ":" + password);
		}

		@Override
		public String toString() {
			return "Credentials[scheme=" + this.scheme + "]";
		}

	}

}
