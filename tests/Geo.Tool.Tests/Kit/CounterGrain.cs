using Geo.Embedded;

namespace Geo.Tool.Tests.Kit;

[GlobalSingleInstance]
public sealed class CounterGrain : Grain, ICounter
{
    private int _value;

    public Task<int> Add(int amount) => Task.FromResult(_value += amount);
}
