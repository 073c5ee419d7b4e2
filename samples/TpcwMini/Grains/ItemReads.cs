namespace TpcwMini.Grains;

/// <summary>The read policy, injected into the versioned item grains.</summary>
/// <param name="Linearizable">True for linearizable reads and updates everywhere, false for local ones except in confirm.</param>
public sealed record ItemReads(bool Linearizable);
