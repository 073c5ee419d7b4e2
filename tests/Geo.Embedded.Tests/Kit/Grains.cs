namespace Geo.Embedded.Tests;

public interface ICounter : IGrainWithStringKey
{
    Task<int> Add(int amount);

    Task<string> Where();
}

public sealed class LocalCounterGrain : Grain, ICounter
{
    private int _value;

    public Task<int> Add(int amount) => Task.FromResult(_value += amount);

    public Task<string> Where() => Task.FromResult(RuntimeIdentity.Split('/')[0]);
}

[GlobalSingleInstance]
public sealed class SingleCounterGrain : Grain, ICounter
{
    private int _value;

    public Task<int> Add(int amount) => Task.FromResult(_value += amount);

    public Task<string> Where() => Task.FromResult(RuntimeIdentity.Split('/')[0]);
}
