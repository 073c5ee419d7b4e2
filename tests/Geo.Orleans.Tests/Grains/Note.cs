using Geo.Consistency;
using Geo.Consistency.Lattices;

namespace Geo.Orleans.Tests.Grains;

[CoordinationFree(Level = ConsistencyLevel.Causal)]
public sealed class Note : LatticeGrain<LwwRegister<string>>, INote
{
    public async Task<SessionToken> Write(string text)
    {
        var session = OpenSession();
        await WriteAsync(session, text);
        return session.Token;
    }

    public async Task<SessionToken> Answer(string question, string text)
    {
        var session = OpenSession();
        await WriteAsync(session, $"{await ReadAsync(session, question)} {text}");
        return session.Token;
    }

    public Task<string> Read() => ReadAsync(OpenSession(), Key.Key);

    public async Task<string> Both(string other)
    {
        var session = OpenSession();
        var answer = await ReadAsync(session, Key.Key);
        return answer.StartsWith(await ReadAsync(session, other), StringComparison.Ordinal) ? answer : "the answer alone";
    }

    public Task<string> ReadAt(ConsistencyLevel level) => ReadAsync(OpenSession(level), Key.Key);

    private async Task<string> ReadAsync(ILatticeSession session, string key) =>
        await session.ReadAsync(Key with { Key = key }, (LwwRegister<string> r) => r.HasValue ? r.Value : "");

    private async Task WriteAsync(ILatticeSession session, string text) => await session.UpdateAsync(
        Key, (LwwRegister<string> _, LatticeOrigin origin) => LwwRegister<string>.Of(origin.NextStamp(), text));
}
