namespace Geo.Orleans.Tests.Grains;

/// <summary>A single-instance grain that calls observers.</summary>
public interface INewsroom : IGrainWithStringKey
{
    Task<string> Subscribe(IListener listener);

    Task SubscribeTo(Subscription subscription);

    Task Publish(string news);

    /// <summary>Asks the last subscriber.</summary>
    Task<string> Ask(string question);

    /// <summary>Gives back the last subscriber.</summary>
    Task<IListener> Last();

    /// <summary>Subscribes all subscribers to another newsroom.</summary>
    Task HandOver(INewsroom other);
}
