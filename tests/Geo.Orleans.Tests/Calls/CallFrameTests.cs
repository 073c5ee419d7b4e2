using Microsoft.Extensions.DependencyInjection;
using Orleans.Serialization;

namespace Geo.Orleans.Tests.Calls;

public sealed class CallFrameTests
{
    [Theory]
    [InlineData(null)]
    [InlineData("no call")]
    public void A_frame_whose_request_is_none_is_refused(string? request)
    {
        using var services = new ServiceCollection().AddSerializer().BuildServiceProvider();
        var serializer = services.GetRequiredService<Serializer>();
        var frame = new PayloadWriter();
        frame.WriteByte(1);
        frame.WriteText("spot/refused");
        frame.WriteUnsigned(0);
        frame.WriteBytes(serializer.SerializeToArray<object?>(request));
        frame.WriteBytes([]);

        var refused = Assert.Throws<GeoSerializationException>(() => CallFrame.Decode(frame.ToArray(), new ClusterId("us"), serializer));

        Assert.Contains("spot/refused", refused.Message, StringComparison.Ordinal);
    }
}
