package io.github.zklock.autoconfigure;

import java.io.IOException;
import java.util.List;

import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.SystemErrorException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.testing.TestServers;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

class KeyNodeAccessTests {

	// ZooKeeper's enum has no such code
	private static final int UNKNOWN = -999;

	@AutoClose
	private static final TestServers server = TestServers.startOne();

	@ParameterizedTest
	@ValueSource(strings = { "getACL", "getChildren" })
	void anAnswerWithAnUnknownCodeEndsTheLookAtOnce(String request) throws Exception {
		AllowedAccess allowed = new AllowedAccess(List.of(), new ConfiguredAcl(List.of("creator"), true));
		try (ZooKeeper handle = new UnknownAnswers(request)) {
			String root = "/" + request;
			for (String path : List.of(root, root + "/key", root + "/key/below")) {
				handle.create(path, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
			}
			assertThatThrownBy(() -> new KeyNodeAccess(handle, root, allowed).others(true))
				.hasCauseInstanceOf(SystemErrorException.class);
		}
	}

	/** Answers one kind of asynchronous request as no server of today does. */
	private static final class UnknownAnswers extends ZooKeeper {

		private final String request;

		UnknownAnswers(String request) throws IOException {
			super(server.connectString(), 10_000, (event) -> {
			});
			this.request = request;
		}

		@Override
		public void getACL(String path, Stat stat, AsyncCallback.ACLCallback callback, Object context) {
			super.getACL(path, stat, (code, given, same, acl, read) -> callback.processResult(answer("getACL", code),
					given, same, acl, read), context);
		}

		@Override
		public void getChildren(String path, boolean watch, AsyncCallback.ChildrenCallback callback, Object context) {
			super.getChildren(path, watch, (code, given, same, names) -> callback
				.processResult(answer("getChildren", code), given, same, names), context);
		}

		private int answer(String asked, int code) {
			return asked.equals(this.request) ? UNKNOWN : code;
		}

	}

}
