namespace Geo.Orleans.Tests.Grains;

[OneInstancePerCluster, BatchedCas]
public sealed class Desk : AnyDesk;
