package io.github.zklock.sample.lab;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class CableTests {

	private static final int PATIENCE_MILLIS = 30_000;

	private ServerSocket server;

	private Cable cable;

	private CompletableFuture<Void> echo;

	@BeforeEach
	void start() throws IOException {
		this.server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
		this.echo = CompletableFuture.runAsync(this::echo);
		this.cable = Cable.to("127.0.0.1:" + this.server.getLocalPort() + "/some/path");
	}

	@AfterEach
	void stop() throws IOException {
		this.cable.close();
		this.server.close();
	}

	private void echo() {
		try (Socket socket = this.server.accept()) {
			for (int next = socket.getInputStream().read(); next >= 0; next = socket.getInputStream().read()) {
				socket.getOutputStream().write(next);
			}
		}
		catch (IOException ex) {
			// the test is over
		}
	}

	@Test
	void theEndOfTheCableHasThePathOfTheServers() {
		assertThat(this.cable.connectString()).matches("127\\.0\\.0\\.1:\\d+/some/path")
			.doesNotContain(":" + this.server.getLocalPort());
	}

	@Test
	void whatIsHeldUpComesWhenItIsLetThrough() throws IOException {
		try (Socket socket = connect()) {
			socket.getOutputStream().write(1);
			assertThat(socket.getInputStream().read()).isEqualTo(1);
			this.cable.holdUp();
			socket.getOutputStream().write(2);
			socket.setSoTimeout(300);
			assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(() -> socket.getInputStream().read());
			this.cable.letThrough();
			socket.setSoTimeout(PATIENCE_MILLIS);
			assertThat(socket.getInputStream().read()).isEqualTo(2);
		}
	}

	@Test
	void closingEndsAllConnections() throws IOException {
		try (Socket socket = connect()) {
			socket.getOutputStream().write(1);
			assertThat(socket.getInputStream().read()).isEqualTo(1);
			this.cable.holdUp();
			this.cable.close();
			assertThat(socket.getInputStream().read()).isEqualTo(-1);
			assertThat(this.echo).succeedsWithin(Duration.ofSeconds(30));
		}
	}

	private Socket connect() throws IOException {
		int port = Integer.parseInt(this.cable.connectString().replaceAll(".*:(\\d+)/.*", "$1"));
		Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
		socket.setSoTimeout(PATIENCE_MILLIS);
		return socket;
	}

}
