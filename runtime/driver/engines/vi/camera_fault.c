/* SPDX-License-Identifier: MIT */
#include "runtime/driver/engines/vi/camera_fault.h"

#include "runtime/driver/core/notifier.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/engines/vi/vi.h"

static const char *camera_error_text(uint32_t status)
{
    switch (status) {
    case VI_STATUS_CHANSEL_SHORT_FRAME:
        return "the sensor's frame ended early (CHANSEL_SHORT_FRAME): what stands behind is of an "
               "older frame";
    case VI_STATUS_ATOMP_FRAME_TRUNCATED:
        return "the SMMU refused a store (ATOMP_FRAME_TRUNCATED): is the buffer still allocated?";
    case VI_STATUS_ATOMP_FRAME_TOSSED:
        return "the VI's queue was full (ATOMP_FRAME_TOSSED)";
    default:
        return "the VI has no such format or size (CHANSEL_FAULT)";
    }
}

void camera_fault_service(void)
{
    struct hal_iommu_fault fault;
    bool refused;

    if (core_lost()) {
        return;
    }
    refused = hal_iommu_fault(core_hal(), UNIT_VI, &fault);
    if (!camera_read(VI_IRQSTAT) && !refused) {
        return;
    }
    report_finding(&check_rules[CHECK_RULE_VI_CAPTURE_FAILED], 0, 0, 0, NULL,
                   "a capture of the camera failed: %s",
                   camera_error_text(camera_read(VI_CSI_ERROR_STATUS)));
    camera_write(VI_CSI_ERROR_STATUS, UINT32_MAX);
    camera_write(VI_IRQSTAT, UINT32_MAX);
}

static void camera_stuck_text(GString *text)
{
    uint32_t queued = VI_QUEUE - camera_read(VI_QUEUE_FREE);

    if (queued) {
        g_string_append_printf(
            text, "; the camera has %u buffers%s", queued,
            camera_read(VI_SENSOR_STREAM) ? "" : " and does not stream (VIDIOC_STREAMON)");
    }
}

void camera_fault_init(void)
{
    notify_service_add(camera_fault_service);
    notify_stuck_text_add(camera_stuck_text);
}
