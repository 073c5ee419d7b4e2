namespace Geo.Consistency.Lattices;

/// <summary>A frame that waits for what it follows.</summary>
/// <param name="Source">Whose updates it has.</param>
/// <param name="Head">Its head.</param>
/// <param name="Message">The whole message.</param>
/// <param name="Since">When it came.</param>
internal sealed record HeldFrame(ReplicaId Source, LatticeFrameHead Head, byte[] Message, TimeSpan Since);
