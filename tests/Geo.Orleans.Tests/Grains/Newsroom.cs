using Microsoft.Extensions.Options;

namespace Geo.Orleans.Tests.Grains;

[GlobalSingleInstance]
public sealed class Newsroom(IOptions<GeoOrleansOptions> options) : Grain, INewsroom
{
    private readonly List<IListener> _listeners = [];

    public Task<string> Subscribe(IListener listener)
    {
        _listeners.Add(listener);
        return Task.FromResult(options.Value.ClusterId);
    }

    public Task SubscribeTo(Subscription subscription) => Subscribe(subscription.Listener);

    public Task Publish(string news)
    {
        _listeners.ForEach(listener => listener.Hear(news));
        return Task.CompletedTask;
    }

    public Task<string> Ask(string question) => _listeners[^1].Reply(question);

    public Task<IListener> Last() => Task.FromResult(_listeners[^1]);

    public async Task HandOver(INewsroom other)
    {
        foreach (var listener in _listeners)
        {
            await other.Subscribe(listener);
        }
    }
}
