package io.github.zklock.harness;

import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Sessions whose clients have gone without a word, so that the leader must expire them.
 */
public final class SilentSessions {

	private static final int AT_ONCE = 10;

	private static final int PATIENCE_MILLIS = 10_000;

	private static final int PASSWORD_BYTES = 16;

	private SilentSessions() {
	}

	/**
	 * Opens sessions that expire at one moment.
	 * @param server which server makes them
	 * @param count how many
	 * @param expiry when they expire, in nanoseconds of {@link System#nanoTime()}
	 * @param until when to make no more of them, likewise
	 * @return how many were made
	 */
	public static int open(InetSocketAddress server, int count, long expiry, long until) {
		int made = 0;
		while (made < count && System.nanoTime() - until < 0) {
			made += openSome(server, expiry);
		}
		return made;
	}

	private static int openSome(InetSocketAddress server, long expiry) {
		List<Socket> sockets = new ArrayList<>();
		try {
			for (int i = 0; i < AT_ONCE; i++) {
				Socket socket = new Socket();
				sockets.add(socket);
				socket.connect(server, PATIENCE_MILLIS);
				socket.setSoTimeout(PATIENCE_MILLIS);
				ask(socket, (int) TimeUnit.NANOSECONDS.toMillis(expiry - System.nanoTime()));
			}
			for (Socket socket : sockets) {
				DataInputStream in = new DataInputStream(socket.getInputStream());
				in.readFully(new byte[in.readInt()]);
			}
			return sockets.size();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		finally {
			sockets.forEach(SilentSessions::close);
		}
	}

	// A ConnectRequest: version, last zxid, time-out, session, password, may be read-only
	private static void ask(Socket socket, int timeoutMillis) throws IOException {
		DataOutputStream out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
		out.writeInt(4 + 8 + 4 + 8 + 4 + PASSWORD_BYTES + 1);
		out.writeInt(0);
		out.writeLong(0);
		out.writeInt(timeoutMillis);
		out.writeLong(0);
		out.writeInt(PASSWORD_BYTES);
		out.write(new byte[PASSWORD_BYTES]);
		out.writeBoolean(false);
		out.flush();
	}

	private static void close(Socket socket) {
		try {
			socket.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
