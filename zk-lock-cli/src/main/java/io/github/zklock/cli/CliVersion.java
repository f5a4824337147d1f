package io.github.zklock.cli;

import picocli.CommandLine.IVersionProvider;

/**
 * The version, as the jar's manifest has it.
 */
final class CliVersion implements IVersionProvider {

	@Override
	public String[] getVersion() {
		String version = ZkLockCli.class.getPackage().getImplementationVersion();
		return new String[] { "zk-lock-cli " + ((version != null) ? version : "(unpackaged)") };
	}

}
