using System.Collections.Concurrent;

namespace Geo.Orleans.Tests.Grains;

internal sealed class Listener(string name) : IListener
{
    public ConcurrentQueue<string> Heard { get; } = new();

    public void Hear(string news) => Heard.Enqueue(news);

    public Task<string> Reply(string question) => question.Length > 0
        ? Task.FromResult($"{name}: {question}!")
        : throw new InvalidOperationException("no question");
}
