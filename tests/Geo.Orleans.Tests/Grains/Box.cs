using Microsoft.Extensions.Options;

namespace Geo.Orleans.Tests.Grains;

[GlobalSingleInstance]
public sealed class Box<T>(IOptions<GeoOrleansOptions> options) : Grain, IBox<T>
{
    private T _value = default!;

    public Task<string> Put(T value)
    {
        _value = value;
        return Task.FromResult(options.Value.ClusterId);
    }

    public Task<T> Take() => Task.FromResult(_value);

    public Task<byte[]> Fill(int bytes) => Task.FromResult(new byte[bytes]);

    public Task<int> Measure(byte[] bytes) => Task.FromResult(bytes.Length);

    public Task ThrowUnknown() => throw new UnknownException();

    public Task<object> Unwritable() => Task.FromResult<object>(new Thread(() => { }));

    private sealed class UnknownException() : Exception("only this grain knows me")
    {
        public Thread Inside { get; } = Thread.CurrentThread;
    }
}
