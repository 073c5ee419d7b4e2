namespace Geo.Orleans.Benchmarks;

public interface IEcho : IGrainWithIntegerKey
{
    ValueTask<int> Echo(int value);

    /// <summary>Calls another grain so many times, one call after the other.</summary>
    Task Drive(IEcho target, int calls);
}

public interface IPlain : IEcho;

public interface ISingleInstance : IEcho;

public abstract class EchoGrain : Grain, IEcho
{
    public ValueTask<int> Echo(int value) => new(value);

    public async Task Drive(IEcho target, int calls)
    {
        for (var i = 0; i < calls; i++)
        {
            await target.Echo(i);
        }
    }
}

public sealed class Plain : EchoGrain, IPlain;

[GlobalSingleInstance]
public sealed class SingleInstance : EchoGrain, ISingleInstance;
