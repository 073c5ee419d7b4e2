namespace ByteArraySample;

/// <summary>Basic API, volatile, one instance.</summary>
[GlobalSingleInstance]
public sealed class BasicVolatileArray : Grain, IByteArray
{
    private readonly ArrayState _state = new();

    public Task<byte[]> Read(int offset, bool isLatest) => Task.FromResult(_state.Part(offset));

    public Task Update(int offset, byte[] bytes, bool isConfirmed)
    {
        _state.Apply(new BytesWritten(offset, bytes));
        return Task.CompletedTask;
    }
}
