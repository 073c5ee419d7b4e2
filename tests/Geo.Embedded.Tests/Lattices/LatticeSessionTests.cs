using Geo.Consistency;
using Geo.Consistency.Lattices;

namespace Geo.Embedded.Tests.Lattices;

public sealed class LatticeSessionTests
{
    [Fact]
    public async Task A_session_that_goes_to_the_other_cluster_sees_there_what_it_has_written_and_what_that_follows()
    {
        await using var clusters = await TwoClusters.StartAsync(geo => geo.AddGrain<Note>());
        var (us, eu) = (clusters.Us.Grains, clusters.Eu.Grains);
        for (var i = 0; i < 20; i++)
        {
            SessionContext.Token = SessionToken.None;
            var written = await us.GetGrain<INote>($"question {i}").Write("why?");
            SessionContext.Token = written;
            Assert.Equal("why?", await eu.GetGrain<INote>($"question {i}").Read());
            var answered = await eu.GetGrain<INote>($"answer {i}").Answer($"question {i}", "so");
            SessionContext.Token = answered;
            Assert.Equal("why? so", await us.GetGrain<INote>($"answer {i}").Both($"question {i}"));
        }
    }

    [Fact]
    public async Task A_session_touches_no_class_below_its_level()
    {
        await using var us = await TestSilo.StartAsync("us", geo => geo.AddGrain<Note>());
        await Assert.ThrowsAsync<GeoConfigurationException>(() => us.Grains.GetGrain<INote>("a").ReadAt(ConsistencyLevel.ItemCut));
        Assert.Equal("", await us.Grains.GetGrain<INote>("a").ReadAt(ConsistencyLevel.Pram));
    }

    public interface INote : IGrainWithStringKey
    {
        Task<SessionToken> Write(string text);

        Task<SessionToken> Answer(string question, string text);

        Task<string> Read();

        Task<string> Both(string other);

        Task<string> ReadAt(ConsistencyLevel level);
    }

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
}
