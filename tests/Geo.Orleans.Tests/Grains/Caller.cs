namespace Geo.Orleans.Tests.Grains;

public sealed class Caller : Grain, ICaller
{
    public Task<int> Measure(string spot, int bytes) => GrainFactory.GetGrain<ISpot>(spot).Measure(new byte[bytes]);
}
