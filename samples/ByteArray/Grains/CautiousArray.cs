namespace ByteArraySample;

/// <summary>Basic API, volatile, one instance that rather is refused than there twice.</summary>
[GlobalSingleInstance(SingleInstanceMode.Pessimistic)]
public sealed class CautiousArray : Grain, IByteArray
{
    private readonly ArrayState _state = new();

    public Task<byte[]> Read(int offset, bool isLatest) => Task.FromResult(_state.Part(offset));

    public Task Update(int offset, byte[] bytes, bool isConfirmed)
    {
        _state.Apply(new BytesWritten(offset, bytes));
        return Task.CompletedTask;
    }
}
