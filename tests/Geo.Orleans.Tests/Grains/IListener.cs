namespace Geo.Orleans.Tests.Grains;

/// <summary>An observer.</summary>
public interface IListener : IGrainObserver
{
    void Hear(string news);

    Task<string> Reply(string question);
}
