namespace Geo;

/// <summary>A silo of the cluster.</summary>
/// <param name="Node">Its name, which no earlier or later life of a silo shares.</param>
/// <param name="State">What the membership says of it.</param>
internal readonly record struct SiloMember(string Node, SiloState State);
