package io.github.zklock.benchmarks.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;

import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

import com.sun.management.ThreadMXBean;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;

/**
 * Asks another JVM of this machine how much it has allocated. What it allocates to answer
 * is some ten kilobytes, and counted too.
 */
final class ServerHeap implements AutoCloseable {

	private final JMXConnector connector;

	private final ThreadMXBean threads;

	/**
	 * Connects.
	 * @param process the number of the process
	 */
	@SuppressWarnings("BanJNDI") // a JVM that this one has started, on this machine
	ServerHeap(long process) {
		try {
			VirtualMachine machine = VirtualMachine.attach(Long.toString(process));
			try {
				this.connector = JMXConnectorFactory.connect(new JMXServiceURL(machine.startLocalManagementAgent()));
			}
			finally {
				machine.detach();
			}
			this.threads = ManagementFactory.newPlatformMXBeanProxy(this.connector.getMBeanServerConnection(),
					ManagementFactory.THREAD_MXBEAN_NAME, ThreadMXBean.class);
		}
		catch (AttachNotSupportedException ex) {
			throw new IllegalStateException("Cannot look into process " + process, ex);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Returns how much it has allocated so far.
	 * @return bytes
	 */
	long bytes() {
		return Allocation.bytes(this.threads);
	}

	@Override
	public void close() {
		try {
			this.connector.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
