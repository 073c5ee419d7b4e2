namespace ByteArraySample;

/// <summary>Basic API, persistent, one instance: each update is one write, and calls wait for it.</summary>
[GlobalSingleInstance]
public sealed class BasicStoredArray : Grain<ArrayState>, IByteArray
{
    public Task<byte[]> Read(int offset, bool isLatest) => Task.FromResult(State.Part(offset));

    public Task Update(int offset, byte[] bytes, bool isConfirmed)
    {
        State.Apply(new BytesWritten(offset, bytes));
        return WriteStateAsync();
    }
}
