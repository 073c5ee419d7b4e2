namespace Geo.Orleans.Tests.Grains;

[GlobalSingleInstance, BatchedCas]
public sealed class SingleDesk : AnyDesk;
