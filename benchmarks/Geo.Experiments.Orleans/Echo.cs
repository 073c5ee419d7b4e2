using Orleans.Placement;

namespace Geo.Experiments.Orleans;

[RandomPlacement]
internal sealed class Echo(ILocalSiloDetails silo, Arrivals arrivals) : Grain, IEcho
{
    public ValueTask<string> WhereAsync() => new(silo.SiloAddress.ToParsableString());

    public ValueTask<Immutable<byte[]>> EchoAsync(Immutable<byte[]> payload) => new(payload);

    public Task CountAsync(Immutable<byte[]> payload)
    {
        arrivals.Add();
        return Task.CompletedTask;
    }

    public ValueTask<long> CountedAsync() => new(arrivals.Count);
}
