namespace Geo;

/// <summary>Deals with what another silo of the cluster asks or tells.</summary>
/// <param name="payload">The question; valid until the task ends.</param>
/// <param name="cancellationToken">Set, where the host can tell, when the silo that asks waits no longer.</param>
/// <returns>The answer; ignored where nothing was asked. An exception ends the question as unknown.</returns>
internal delegate ValueTask<ReadOnlyMemory<byte>> SiblingHandler(ReadOnlyMemory<byte> payload, CancellationToken cancellationToken);
