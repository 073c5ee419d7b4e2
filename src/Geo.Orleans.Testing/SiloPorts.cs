namespace Geo.Orleans.Testing;

/// <summary>The ports of one silo: for its neighbours, for clients and for other clusters.</summary>
internal sealed record SiloPorts(int Silo, int Gateway, int Geo);
