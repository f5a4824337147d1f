package io.github.zklock.benchmarks.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(60)
class DelayProxyTests {

	private static final Duration ROUND_TRIP = Duration.ofMillis(200);

	@Test
	void anAnswerComesARoundTripLaterAtLeast() throws IOException {
		try (ServerSocket server = echo();
				DelayProxy proxy = new DelayProxy("127.0.0.1:" + server.getLocalPort(), ROUND_TRIP);
				Socket client = connect(proxy)) {
			long start = System.nanoTime();
			client.getOutputStream().write(1);
			assertThat(client.getInputStream().read()).isEqualTo(1);
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(ROUND_TRIP);
		}
	}

	@Test
	void whatIsSentTogetherArrivesTogether() throws IOException {
		int count = 1_000;
		try (ServerSocket server = echo();
				DelayProxy proxy = new DelayProxy("127.0.0.1:" + server.getLocalPort(), ROUND_TRIP);
				Socket client = connect(proxy)) {
			long start = System.nanoTime();
			for (int i = 0; i < count; i++) {
				client.getOutputStream().write(1);
			}
			assertThat(client.getInputStream().readNBytes(count)).hasSize(count);
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(ROUND_TRIP.multipliedBy(count / 10));
		}
	}

	private static Socket connect(DelayProxy proxy) throws IOException {
		String address = proxy.connectString();
		return new Socket(InetAddress.getLoopbackAddress(),
				Integer.parseInt(address.substring(address.indexOf(':') + 1)));
	}

	private static ServerSocket echo() throws IOException {
		ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
		Thread thread = new Thread(() -> {
			try (Socket client = server.accept()) {
				InputStream input = client.getInputStream();
				OutputStream output = client.getOutputStream();
				input.transferTo(output);
			}
			catch (IOException ex) {
				assertThat(server.isClosed()).isTrue();
			}
		});
		thread.setDaemon(true);
		thread.start();
		return server;
	}

}
