package io.github.zklock.harness;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * How the proxy makes the wire longer; {@code ToolsIT} of the fault tests checks the rest
 * with servers.
 */
@Timeout(60)
class FaultProxyTests {

	private static final Duration ROUND_TRIP = Duration.ofMillis(200);

	private ServerSocket server;

	private FaultProxy proxy;

	private Socket client;

	private DataOutputStream requests;

	private DataInputStream answers;

	@BeforeEach
	void connect() throws IOException {
		this.server = echo();
		this.proxy = new FaultProxy(
				new InetSocketAddress(InetAddress.getLoopbackAddress(), this.server.getLocalPort()));
		this.proxy.delay(ROUND_TRIP.dividedBy(2));
		String port = this.proxy.connectString().replaceAll(".*:", "");
		this.client = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(port));
		this.requests = new DataOutputStream(this.client.getOutputStream());
		this.answers = new DataInputStream(this.client.getInputStream());
	}

	@AfterEach
	void close() throws IOException {
		this.client.close();
		this.proxy.close();
		this.server.close();
	}

	@Test
	void anAnswerComesARoundTripLaterAtLeast() throws IOException {
		long start = System.nanoTime();
		send(1);
		assertThat(receive()).isEqualTo(1);
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(ROUND_TRIP);
	}

	@Test
	void whatIsSentTogetherArrivesTogetherAndInOrder() throws IOException {
		int count = 1_000;
		long start = System.nanoTime();
		for (int i = 0; i < count; i++) {
			send(i);
		}
		for (int i = 0; i < count; i++) {
			assertThat(receive()).isEqualTo(i);
		}
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(ROUND_TRIP.multipliedBy(count / 10));
	}

	@Test
	void aHeldDirectionIsLateAndLosesNothing() throws IOException {
		this.proxy.hold(FaultProxy.Direction.TO_SERVER);
		send(1);
		send(2);
		this.client.setSoTimeout((int) ROUND_TRIP.multipliedBy(2).toMillis());
		assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(this::receive);
		this.client.setSoTimeout(0);
		this.proxy.heal();
		assertThat(receive()).isEqualTo(1);
		assertThat(receive()).isEqualTo(2);
	}

	// A frame as long as a request's header
	private void send(int number) throws IOException {
		this.requests.writeInt(8);
		this.requests.writeInt(number);
		this.requests.writeInt(0);
	}

	private int receive() throws IOException {
		assertThat(this.answers.readInt()).isEqualTo(8);
		int number = this.answers.readInt();
		assertThat(this.answers.readInt()).isZero();
		return number;
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
